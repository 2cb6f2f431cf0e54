/** The skills that somebody may read, wherever they lie. */
@NullMarked
package io.agentworkspace.engine.library;

import org.jspecify.annotations.NullMarked;
