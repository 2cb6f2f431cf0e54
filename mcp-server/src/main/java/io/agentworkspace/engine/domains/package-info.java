/** Domains with their zones and members: tools, rows, and who may change one. */
@NullMarked
package io.agentworkspace.engine.domains;

import org.jspecify.annotations.NullMarked;
