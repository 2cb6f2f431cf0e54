/** The pages for people: the hubs of tools and skills, and the documentation; rendered here, and readable without scripts. */
@NullMarked
package io.agentworkspace.engine.hubs;

import org.jspecify.annotations.NullMarked;
