/** The records of memory banks and memories. */
@NullMarked
package io.agentworkspace.engine.model.bank;

import org.jspecify.annotations.NullMarked;
