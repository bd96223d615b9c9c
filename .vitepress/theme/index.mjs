// The theme of VitePress with room for wide tables and long lines of code.

import theme from 'vitepress/theme'
import './wide.css'

export default theme
