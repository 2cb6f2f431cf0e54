// What ESLint checks in the scripts of the pages: faults, not taste. Prettier does the layout.
import js from '@eslint/js';
import globals from 'globals';

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
