/** The demo: a client like any other, which knows nothing of the engine but its address and a key. {@code demo.json} has the story. */
@NullMarked
package io.agentworkspace.engine.examples;

import org.jspecify.annotations.NullMarked;
