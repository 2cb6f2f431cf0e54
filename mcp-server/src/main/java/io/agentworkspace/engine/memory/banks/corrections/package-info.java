/** Where what a memory replaced is still said: the copies that a correction has to find. */
@NullMarked
package io.agentworkspace.engine.memory.banks.corrections;

import org.jspecify.annotations.NullMarked;
