/**
 * Messages: their conversations, and what each participant has read. {@code chat}, {@code agents} and {@code domains} use
 * it.
 */
@NullMarked
package io.agentworkspace.engine.workspace.messages;

import org.jspecify.annotations.NullMarked;
