/** The log of changes: {@code ChangeStore} writes what a transaction changed, and notifies all replicas of it once it is committed. */
@NullMarked
package io.agentworkspace.engine.changes;

import org.jspecify.annotations.NullMarked;
