/** The queue in which documents are validated: every replica takes from it, under a lease, and has a process extract the text. */
@NullMarked
package io.agentworkspace.engine.memory.documents.queue;

import org.jspecify.annotations.NullMarked;
