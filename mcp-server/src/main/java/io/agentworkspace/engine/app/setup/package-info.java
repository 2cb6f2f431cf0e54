/** {@code ./engine doctor}: {@code Checkup} finds what is wrong with a set-up before it hurts. */
@NullMarked
package io.agentworkspace.engine.app.setup;

import org.jspecify.annotations.NullMarked;
