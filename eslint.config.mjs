// ESLint: what is wrong or unused, and how long a function may be; Prettier has its form.
import js from "@eslint/js";
import globals from "globals";

export default [
  {
    ignores: [
      "widgets/static/**",
      "tests/**/static/**",
      "node_modules/**",
      "build/**",
      ".venv/**",
      "**/.ipynb_checkpoints/**",
    ],
  },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    rules: {
      "prefer-const": ["error", { destructuring: "all" }],
      "no-var": "error",
      eqeqeq: "error",
      "one-var": ["error", "never"],
      "max-lines-per-function": ["error", { max: 70, skipComments: true, skipBlankLines: true }],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
    },
  },
  {
    files: [
      "widgets/base/**/*.js",
      "widgets/instruments/**/*.js",
      "lessons/**/*.js",
      "tests/**/*.js",
      "benchmarks/**/*.js",
    ],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ["widgets/build.js", "eslint.config.mjs", "tests/scripts/**/*.js"],
    languageOptions: { globals: globals.node },
  },
];
