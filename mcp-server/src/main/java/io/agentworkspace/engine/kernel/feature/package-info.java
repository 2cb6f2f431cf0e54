/** A feature as a value: what each adds to the engine. */
@NullMarked
package io.agentworkspace.engine.kernel.feature;

import org.jspecify.annotations.NullMarked;
