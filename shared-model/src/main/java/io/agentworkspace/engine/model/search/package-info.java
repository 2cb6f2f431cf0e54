/** Finds tools by what a caller wants to do. */
@NullMarked
package io.agentworkspace.engine.model.search;

import org.jspecify.annotations.NullMarked;
