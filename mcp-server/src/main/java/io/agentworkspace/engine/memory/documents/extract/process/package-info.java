/** The process that extracts a document's text: {@code ExtractorMain} is that process, {@code ExtractorProcess} the engine's side of it. */
@NullMarked
package io.agentworkspace.engine.memory.documents.extract.process;

import org.jspecify.annotations.NullMarked;
