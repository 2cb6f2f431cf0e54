/** The index of each memory bank: its terms on disk, how it is brought up to date, and what is hidden from readers of it. */
@NullMarked
package io.agentworkspace.engine.memory.search.index;

import org.jspecify.annotations.NullMarked;
