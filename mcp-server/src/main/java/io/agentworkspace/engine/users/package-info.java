/** The users of a tenant, and the tenants. */
@NullMarked
package io.agentworkspace.engine.users;

import org.jspecify.annotations.NullMarked;
