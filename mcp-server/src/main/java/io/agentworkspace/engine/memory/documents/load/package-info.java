/** The text of a document, split into pieces of a memory's size by its structure. */
@NullMarked
package io.agentworkspace.engine.memory.documents.load;

import org.jspecify.annotations.NullMarked;
