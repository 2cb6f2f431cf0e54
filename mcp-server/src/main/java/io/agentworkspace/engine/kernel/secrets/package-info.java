/** Secrets at rest and signed values: the master key, where it comes from, what it seals; and what only this engine can have written: {@code StateSigner}, {@code SealedCursors}. */
@NullMarked
package io.agentworkspace.engine.kernel.secrets;

import org.jspecify.annotations.NullMarked;
