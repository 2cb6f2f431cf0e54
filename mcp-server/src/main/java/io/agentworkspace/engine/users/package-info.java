/** Users and tenants: their tools and SQL. */
@NullMarked
package io.agentworkspace.engine.users;

import org.jspecify.annotations.NullMarked;
