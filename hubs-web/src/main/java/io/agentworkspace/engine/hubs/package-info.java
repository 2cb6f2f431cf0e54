/**
 * The pages for people: the hubs of tools and skills, and this documentation; rendered on the server, readable
 * without scripts.
 */
@NullMarked
package io.agentworkspace.engine.hubs;

import org.jspecify.annotations.NullMarked;
