/** What waits for a user, of all wings: {@code InboxTools} lists it, {@code InboxActions} names what can be done about each item. */
@NullMarked
package io.agentworkspace.engine.calls.inbox;

import org.jspecify.annotations.NullMarked;
