// What ESLint checks in the scripts of the pages (.js) and of the tests (.mjs): faults, not taste. Prettier does the layout of the pages.
import js from '@eslint/js';
import globals from 'globals';

// What a script awaits while it is loaded runs before the constants below it exist, whichever functions it calls.
const order = {
  create(context) {
    let waits = false;
    const isInFunction = (node) => context.sourceCode.getAncestors(node).some(({ type }) => /Function/.test(type));
    return {
      AwaitExpression(node) {
        waits ||= !isInFunction(node);
      },
      'Program > VariableDeclaration'(node) {
        if (waits) context.report({ node, message: 'Not there yet when the script awaits something above: put it there.' });
      },
    };
  },
};

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
      ],
    },
  },
  {
    files: ['**/*.js'],
    plugins: { pages: { rules: { order } } },
    rules: {
      'pages/order': 'error',
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
