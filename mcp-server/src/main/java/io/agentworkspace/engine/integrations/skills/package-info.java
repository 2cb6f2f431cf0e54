/** The skills that a caller may read, the shipped ones and the tenant's own: their tools and SQL. */
@NullMarked
package io.agentworkspace.engine.integrations.skills;

import org.jspecify.annotations.NullMarked;
