/**
 * Whose turn it is: {@code FairQueue} shares slots fairly by tenant and key, {@code HeavyWork} processor time, {@code Worker} a queue between replicas,
 * {@code TenantTurns} the work of tenants. {@code Housekeeping} has what runs now and then.
 */
@NullMarked
package io.agentworkspace.engine.kernel.scheduling;

import org.jspecify.annotations.NullMarked;
