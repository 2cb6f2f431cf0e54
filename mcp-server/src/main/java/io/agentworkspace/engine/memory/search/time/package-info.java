/** The times that questions name. */
@NullMarked
package io.agentworkspace.engine.memory.search.time;

import org.jspecify.annotations.NullMarked;
