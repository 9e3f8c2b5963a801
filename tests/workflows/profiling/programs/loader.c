/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads a module, whose names stay its own, and calls it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words)
{
    void *const module = count == 2 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void) = NULL;
    if (module == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&run = dlsym(module, "run");
    return run();
}
