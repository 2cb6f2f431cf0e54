/** How coding agents hear of messages: {@code Hooks} answers the events of their hooks, {@code MessageStreams} wakes their listeners. */
@NullMarked
package io.agentworkspace.engine.workspace.delivery.hooks;

import org.jspecify.annotations.NullMarked;
