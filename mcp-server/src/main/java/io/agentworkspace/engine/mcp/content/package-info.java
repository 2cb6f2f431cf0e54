/**
 * What the engine serves over MCP: the tools of the catalogue ({@code CatalogueTools}), and things of the workspace
 * as resources.
 */
@NullMarked
package io.agentworkspace.engine.mcp.content;

import org.jspecify.annotations.NullMarked;
