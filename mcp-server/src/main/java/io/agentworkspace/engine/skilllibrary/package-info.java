/** The skills that a caller may read: the shipped ones and a tenant's own; their tools and rows. */
@NullMarked
package io.agentworkspace.engine.skilllibrary;

import org.jspecify.annotations.NullMarked;
