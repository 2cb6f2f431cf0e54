/** What a transaction changed, and who may learn of it: {@code Change}. */
@NullMarked
package io.agentworkspace.engine.model.change;

import org.jspecify.annotations.NullMarked;
