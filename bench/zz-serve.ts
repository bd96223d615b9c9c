import { writeFileSync } from 'node:fs'
import { startScaleService, clientsOf, END, CATEGORY } from './scale/scale-service'
const s = await startScaleService(Number(process.argv[2]))
writeFileSync(process.argv[3]!, JSON.stringify(s.address))
