/** Vectors of texts, by which memories of like meaning are found: the model that makes them, and when it is loaded. */
@NullMarked
package io.agentworkspace.engine.memory.embedding;

import org.jspecify.annotations.NullMarked;
