/** Looks at all traffic of all tests: every message at {@code /mcp} has to be valid by the schema of its revision. */
package io.agentworkspace.engine.wire;
