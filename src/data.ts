export {
  type CollectionStoreOptions,
  collectionStore,
  type PlantCollection,
  type PlantRecord,
} from './store/collection-store.ts'
