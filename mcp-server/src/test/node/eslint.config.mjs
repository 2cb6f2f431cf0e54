// What ESLint checks in the scripts of the pages: faults, not taste. Prettier does the layout.
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
        ...[
          'VariableDeclarator > Identifier.id',
          'FunctionDeclaration > Identifier.id',
          ':function > Identifier.params',
          ':function > RestElement.params > Identifier',
          'ObjectPattern > Property > Identifier.value',
          'ArrayPattern > Identifier.elements',
          'ImportSpecifier > Identifier.local',
          'PropertyDefinition > PrivateIdentifier.key',
        ].map((place) => ({ selector: `${place}[name=${PARTICIPLES}]`, message: 'A name is no participle: say what the thing is.' })),
      ],
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML'].map((property) => ({
          property,
          message: 'What comes from the service becomes text, never markup.',
        })),
      ],
    },
  },
];
