/** Users and tenants: their tools and SQL. */
@NullMarked
package io.agentworkspace.engine.identity.users;

import org.jspecify.annotations.NullMarked;
