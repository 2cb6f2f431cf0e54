/** Domains with their zones and members: tools and SQL, and who may change one: {@code DomainAccess}. */
@NullMarked
package io.agentworkspace.engine.workspace.domains;

import org.jspecify.annotations.NullMarked;
