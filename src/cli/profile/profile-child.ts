// The process of one round of a profile.

import { answerTask } from '../../bench/index'
import { profileRound, type RoundTask } from './profile-round'

await answerTask((task: RoundTask, onProgress) => profileRound(task, onProgress))
