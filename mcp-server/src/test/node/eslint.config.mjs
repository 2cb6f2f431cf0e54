// What ESLint checks in the scripts of the pages (.js) and of the tests (.mjs): faults, not taste. Prettier does the layout of the pages.
import js from '@eslint/js';
import globals from 'globals';

// Names say what a thing is; these say what was done to it.
const PARTICIPLES = '/^(asked|begun|concerned|given|hears|held|known|shown|told|wanted)$/';

export default [
  { ignores: ['**/lit-html.js'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-unused-vars': ['error', { caughtErrors: 'none' }],
      'no-var': 'error',
      'prefer-const': 'error',
      'no-self-compare': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: "BinaryExpression > Literal[value='Enter']", message: 'isEnter knows Enter from the end of a composition.' },
        ...[
          'VariableDeclarator > Identifier.id',
          'FunctionDeclaration > Identifier.id',
          ':function > Identifier.params',
          ':function > AssignmentPattern.params > Identifier.left',
          ':function > RestElement.params > Identifier',
          'ObjectPattern > Property > Identifier.value',
          'ObjectPattern > Property > AssignmentPattern > Identifier.left',
          'ArrayPattern > Identifier.elements',
          'ImportSpecifier > Identifier.local',
          'PropertyDefinition > PrivateIdentifier.key',
        ].map((place) => ({ selector: `${place}[name=${PARTICIPLES}]`, message: 'A name is no participle: say what the thing is.' })),
      ],
    },
  },
  {
    files: ['**/*.js'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML'].map((property) => ({
          property,
          message: 'What comes from the service becomes text, never markup.',
        })),
      ],
    },
  },
  // The tests run in Node.js, and some of their functions in a page.
  { files: ['**/*.mjs'], languageOptions: { globals: globals.node } },
];
