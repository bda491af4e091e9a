/*
 * Processors: cpuinfo_t, and the inlines cpu, pset, chip, lgrp and curcpu for
 * the processor that runs the current thread.
 */
typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;
	chipid_t cpu_chip;
	lgrp_id_t cpu_lgrp;
	processor_info_t cpu_info;
} cpuinfo_t;

translator cpuinfo_t < cpu_t *C > {
	cpu_id = C->cpu_id;
	cpu_pset = C->cpu_part->cp_id;
	cpu_chip = C->cpu_physid->cpu_chipid;
	cpu_lgrp = C->cpu_lpl->lpl_lgrpid;
	cpu_info = C->cpu_type_info;
};

translator cpuinfo_t < disp_t *D > {
	cpu_id = D->disp_cpu != NULL ? D->disp_cpu->cpu_id : -1;
	cpu_pset = D->disp_cpu != NULL ? D->disp_cpu->cpu_part->cp_id : -1;
	cpu_chip = D->disp_cpu != NULL ? D->disp_cpu->cpu_physid->cpu_chipid : -1;
	cpu_lgrp = D->disp_cpu != NULL ? D->disp_cpu->cpu_lpl->lpl_lgrpid : -1;
};

#pragma D attributes Stable/Stable/Common curcpu
inline cpuinfo_t *curcpu = xlate < cpuinfo_t * > (curthread->t_cpu);

#pragma D attributes Stable/Stable/Common cpu
inline processorid_t cpu = curcpu->cpu_id;

#pragma D attributes Stable/Stable/Common pset
inline psetid_t pset = curcpu->cpu_pset;

#pragma D attributes Stable/Stable/Common chip
inline chipid_t chip = curcpu->cpu_chip;

#pragma D attributes Stable/Stable/Common lgrp
inline lgrp_id_t lgrp = curcpu->cpu_lgrp;
