/** Connections: how they are accepted, counted and handed to Jetty, and which of them give way at a limit. */
@NullMarked
package io.agentworkspace.engine.web.connections;

import org.jspecify.annotations.NullMarked;
