/** The log of changes: {@code ChangeStore} writes what a transaction changed, and {@code DatabaseSignals} tells all replicas of it once it is committed. */
@NullMarked
package io.agentworkspace.engine.changes;

import org.jspecify.annotations.NullMarked;
