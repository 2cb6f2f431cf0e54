/** What waits for a user: {@code InboxTools} lists it, {@code InboxActions} names what can be done about each item. */
@NullMarked
package io.agentworkspace.engine.workspace.inbox;

import org.jspecify.annotations.NullMarked;
