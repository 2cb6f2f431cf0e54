// Parses scripts of PowerShell, and prints where one is not valid: node powershell.mjs <file>...
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Language, Parser } from 'web-tree-sitter'

await Parser.init()
const grammar = fileURLToPath(import.meta.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'))
const parser = new Parser()
parser.setLanguage(await Language.load(grammar))

// Prints the places that the grammar does not know.
const show = (file, node) => {
  if (node.isError || node.isMissing) console.log(`${file}:${node.startPosition.row + 1}: ${node.text.slice(0, 80)}`)
  else node.children.filter(child => child.hasError || child.isMissing).forEach(child => show(file, child))
}

for (const file of process.argv.slice(2)) {
  const { rootNode } = parser.parse(readFileSync(file, 'utf8'))
  if (rootNode.hasError) {
    show(file, rootNode)
    process.exitCode = 1
  }
}
