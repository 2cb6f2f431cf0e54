/** The pages of MCP Apps as documents, which need no server of files. */
@NullMarked
package io.agentworkspace.engine.hubs.apps;

import org.jspecify.annotations.NullMarked;
