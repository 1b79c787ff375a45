export {
  type CollectionStoreOptions,
  collectionStore,
  type PlantCollection,
  type PlantRecord,
} from './core/store/collection-store.ts'
