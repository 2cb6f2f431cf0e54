/** What the tests share: a real database, a running server, and callers who use both doors at once. */
package io.agentworkspace.engine;
