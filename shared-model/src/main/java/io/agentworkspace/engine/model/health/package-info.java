/** The bodies of the health routes. */
@NullMarked
package io.agentworkspace.engine.model.health;

import org.jspecify.annotations.NullMarked;
