import { createRoot } from 'react-dom/client'
import { PlantsPage } from './plants-page.tsx'

const root = document.getElementById('root')
if (root !== null) createRoot(root).render(<PlantsPage />)
