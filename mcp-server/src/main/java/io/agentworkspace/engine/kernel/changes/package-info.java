/** The log of changes: {@code ChangeStore} writes what a transaction changed, {@code DatabaseSignals} and {@code CallerChanges} tell all replicas of it once it is committed. */
@NullMarked
package io.agentworkspace.engine.kernel.changes;

import org.jspecify.annotations.NullMarked;
