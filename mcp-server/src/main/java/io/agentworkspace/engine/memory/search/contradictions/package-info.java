/** The report of MB_Evaluate on memories of one subject that differ in a value. */
@NullMarked
package io.agentworkspace.engine.memory.search.contradictions;

import org.jspecify.annotations.NullMarked;
