/** What the tests share: a real database, a running server, and callers that use both endpoints at once. */
package io.agentworkspace.engine;
