/** Plans, quotas, usage and the counts of rate limits: {@code Quotas}, {@code CallLimits}, {@code PlanTools}. */
@NullMarked
package io.agentworkspace.engine.identity.account;

import org.jspecify.annotations.NullMarked;
