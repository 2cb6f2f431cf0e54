/** The formats of other products: recognises a file, and reads it as memories and documents. */
@NullMarked
package io.agentworkspace.engine.memory.banks.transfer.formats;

import org.jspecify.annotations.NullMarked;
