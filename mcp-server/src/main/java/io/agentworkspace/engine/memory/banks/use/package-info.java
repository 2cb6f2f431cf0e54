/** How often memories are found, and by whom. */
@NullMarked
package io.agentworkspace.engine.memory.banks.use;

import org.jspecify.annotations.NullMarked;
